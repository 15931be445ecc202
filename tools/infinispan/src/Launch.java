import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Starts the server as its own scripts do, whose loader Maven does not serve: first the folder of jars, then the server's arguments. */
public final class Launch {
  public static void main(String[] args) throws Exception {
    List<URL> urls = new ArrayList<>();
    for (File jar : new File(args[0]).listFiles((folder, name) -> name.endsWith(".jar"))) urls.add(jar.toURI().toURL());
    URLClassLoader loader = new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
    Thread.currentThread().setContextClassLoader(loader);
    String[] rest = Arrays.copyOfRange(args, 1, args.length);
    try {
      loader.loadClass("org.infinispan.server.Bootstrap").getMethod("main", String[].class).invoke(null, (Object) rest);
    } catch (Exception exception) {
      // Threads that run already would keep the process alive.
      exception.printStackTrace();
      System.exit(1);
    }
  }
}
