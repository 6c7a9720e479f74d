export { buildMissingPages, builtPages, consolePages } from "./console-pages.ts";
