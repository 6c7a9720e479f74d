import { databaseFault } from "../database/database-fault.ts";
import { type ErrorCode, messageOf, RelayError, stackOf } from "../kit/errors.ts";
import type { CommandContext } from "./command-context.ts";

/** Exit codes: 0 done, 1 a finding or fault, 2 used wrongly, 3 not found, 4 a dependency is away. */
const EXIT_CODES: Record<ErrorCode, number> = {
  failed: 1,
  unexpected: 1,
  usage: 2,
  settings: 2,
  not_found: 3,
  database_away: 4,
  provider_away: 4,
};

interface ErrorReport {
  code: ErrorCode;
  message: string;
}

/**
 * The one place that reports an error: what is wrong and what to do, with a stack only at LOG_LEVEL=debug.
 * With `--json` it prints `{"error": {"code", "message"}}` on stdout.
 * @returns the exit code
 */
export function reportError(error: unknown, context: CommandContext): number {
  const told = errorReportOf(error);
  if (context.json) context.print(JSON.stringify({ error: told }, null, 2));
  else context.remark(told.message);
  if (["debug", "trace"].includes(context.environment.LOG_LEVEL ?? "") && error instanceof Error)
    context.remark(stackOf(error).replaceAll(/^/gm, "    "));
  return EXIT_CODES[told.code];
}

/** RelayErrors explain themselves, common database faults are explained here, anything else is unexpected. */
export function errorReportOf(error: unknown): ErrorReport {
  if (error instanceof RelayError) return { code: error.code, message: error.message };
  const missing = missingPackage(error);
  if (missing !== null)
    return {
      code: "failed",
      message: `The package ${missing} is not installed. In a checkout, run: npm ci --include=dev`,
    };
  const fault = databaseFault(error);
  if (fault !== null) return { code: fault.code, message: fault.words };
  const message =
    `Something went wrong that invoice-relay did not expect: ${messageOf(error)}. LOG_LEVEL=debug shows ` +
    "where.";
  return { code: "unexpected", message };
}

/** What only development needs is left out where NODE_ENV or npm's `omit` says so. */
function missingPackage(error: unknown): string | null {
  if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) return null;
  return /Cannot find package '([^']+)'/.exec(error.message)?.[1] ?? null;
}
