// A bug that nothing catches, for `--import`: SIGHUP's in a timer, SIGUSR2's in a promise.
process.on("SIGUSR2", () => void Promise.reject(new TypeError("password=hunter22 of a promise")));
process.on("SIGHUP", () => {
  setTimeout(() => {
    throw new TypeError("password=hunter22 of a timer");
  });
});
