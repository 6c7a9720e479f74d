export type { Happening, RunningDev } from "./dev.ts";
export { enterLocalWorld, LOCAL_AWS_CREDENTIALS } from "./dev-environment.ts";
export type { ListWork } from "./operation-parts.ts";
