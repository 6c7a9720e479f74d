export * from "./addresses.ts";
export { listen, type RunningServer } from "./http-server.ts";
