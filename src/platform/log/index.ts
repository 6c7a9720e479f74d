export * from "./log.ts";
