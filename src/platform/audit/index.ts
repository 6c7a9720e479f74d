export { audit, type ByHand, closedByHandSince, readAuditLog } from "./audit.ts";
export { dropHistory, hasRoom, insertHistory, isNotedVerdict, noteReplayed, readHistory } from "./history.ts";
