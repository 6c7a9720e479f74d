export { audit, type ByHand, closedByHandSince, readAuditLog } from "./audit.ts";
export { dropHistory, hasRoom, insertHistory, isNotedVerdict, readHistory } from "./history.ts";
