import { userInfo } from "node:os";

/** Who acts, for the audit log: the user of this machine. */
export function operator(): string {
  try {
    return `cli:${userInfo().username}`;
  } catch {
    // In a container the user id may have no name.
    return `cli:${process.getuid?.() ?? "unknown"}`;
  }
}
