import type { Claimed } from "./claim.ts";
import { classOfStatus } from "./invoices/status-class.ts";
import type { Rules } from "./rules.ts";

/** Its verdict, its event or the stored answer says so: any one of them is enough. */
export const wasPaid = ({ verdict, hasEvent, known }: Claimed, rules: Rules): boolean =>
  verdict === "paid" ||
  hasEvent === true ||
  (known !== null && known !== undefined && classOfStatus(known.status, rules) === "paid");
