package org.infinispan.server.loader;

/** A class of the missing loader that the server looks for: logging is never delegated to it here. */
public class LogManager extends java.util.logging.LogManager {
  public void setDelegate(java.util.logging.LogManager delegate) {}
}
