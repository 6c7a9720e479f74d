#!/usr/bin/env node
// `npx osls`: the one of tools/, as its lock file says, and never whichever npm would fetch by that name.
process.argv.splice(2, 0, "osls");
await import("../run-tool.ts");
