package org.infinispan.server.loader;

import java.util.Map;
import java.util.function.BiPredicate;
import javax.security.auth.Subject;
import javax.security.auth.callback.CallbackHandler;
import javax.security.auth.spi.LoginModule;

/** A class of the missing loader that the server refers to: it serves logins by JMX, and this one denies them. */
public class ServerLoginModule implements LoginModule {
  public static void setAuthenticator(BiPredicate<String, char[]> authenticator) {}

  public void initialize(Subject subject, CallbackHandler handler, Map<String, ?> shared, Map<String, ?> options) {}

  public boolean login() {
    return false;
  }

  public boolean commit() {
    return false;
  }

  public boolean abort() {
    return true;
  }

  public boolean logout() {
    return true;
  }
}
