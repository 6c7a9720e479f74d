export { adminRouter, closedAdminRouter } from "./admin-router.ts";
export { schemaOf } from "./open-api.ts";
export { holderOf } from "./sessions.ts";
