/** Has the addresses 192.0.2.* be 127.0.0.*: the API server takes no loopback address for that of a pod. */
const { Socket } = require('net');

const { connect } = Socket.prototype;
Socket.prototype.connect = function (...given) {
  const [options] = Array.isArray(given[0]) ? given[0] : given;
  if (typeof options?.host === 'string') options.host = options.host.replace(/^192\.0\.2\./, '127.0.0.');
  return connect.apply(this, given);
};
