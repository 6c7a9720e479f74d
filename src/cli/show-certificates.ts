import { RelayError } from "../kit/errors.ts";
import type { Certificate } from "../reconcile/certificate/certificate.ts";
import { certificateText } from "./certificate-text.ts";
import type { CommandContext } from "./command-context.ts";

/** @throws RelayError when both output formats are asked for. */
export function oneFormOnly(context: CommandContext, csv: boolean): void {
  if (csv && context.json) throw new RelayError("Choose one of --csv and --json.", { code: "usage" });
}

/** Prints certificates as CSV for finance, or as `show` prints; exit code 1 unless all are equal. */
export async function showCertificates<Value>(
  context: CommandContext,
  value: Value,
  { certificates, csv }: { certificates: readonly Certificate[]; csv: boolean },
): Promise<void> {
  if (certificates.some(({ result }) => result !== "equal")) context.fault();
  if (!csv) return context.show(value, () => certificates.map((one) => certificateText(one)).join("\n\n"));
  const { certificateCsv } = await import("../reconcile/certificate/certificate-csv.ts");
  context.stdout.write(certificateCsv(certificates));
}
