#!/bin/sh
# What the official image starts with, as far as its manifests use it: arguments are the server's, JAVA_OPTIONS are Java's.
exec /jre/bin/java $JAVA_OPTIONS -Djava.net.preferIPv4Stack=true --add-exports=java.naming/com.sun.jndi.ldap=ALL-UNNAMED \
  --add-opens=java.base/java.util=ALL-UNNAMED --add-opens=java.base/java.util.concurrent=ALL-UNNAMED \
  -Dinfinispan.server.home.path=/opt/infinispan -Dinfinispan.server.root.path=/opt/infinispan/server \
  -cp /opt/infinispan/lib/launch.jar Launch /opt/infinispan/lib "$@"
