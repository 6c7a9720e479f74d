import { userInfo } from "node:os";

/** Who acts, for the audit log: the user of this machine. */
export function operator(): string {
  try {
    return `cli:${userInfo().username}`;
  } catch {
    // A container may run under a number without a name.
    return `cli:${process.getuid?.() ?? "unknown"}`;
  }
}
