// Preloaded: kills the process when it reads an answer to keep it, which is after the commit of the change.

Response.prototype.text = () => {
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => {});
};
