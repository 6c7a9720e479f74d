// What npm's scripts run in a checkout: plain JavaScript, so that a Node that cannot load the rest can say
// so. npm puts its own Node 24 before the machine's, unless the packages for development were left out.
import module from "node:module";

const INSTALL = "Run: npm ci --include=dev";

// TypeScript becomes JavaScript once, not at each start. What is installed is JavaScript already.
module.enableCompileCache?.(`${import.meta.dirname}/../../../node_modules/.cache/compiled`);

import("./main.ts").catch((error) => {
  const { code, message = "" } = error ?? {};
  const [, missing] = /Cannot find package '([^']+)'/.exec(message) ?? [];
  if (code === "ERR_UNKNOWN_FILE_EXTENSION")
    process.stderr.write(
      "invoice-relay needs Node 24, which its packages bring along; " +
        `this is ${process.versions.node}. ${INSTALL}\n`,
    );
  else if (code === "ERR_MODULE_NOT_FOUND" && missing !== undefined)
    process.stderr.write(`The package ${missing} is not installed. ${INSTALL}\n`);
  else throw error;
  process.exitCode = 1;
});
