export { backOffMs } from "../kit/back-off.ts";
