export type { RunningDev } from "./dev.ts";
export { enterLocalEnvironment, LOCAL_AWS_CREDENTIALS } from "./dev-environment.ts";
export type { ListWork } from "./operation-parts.ts";
