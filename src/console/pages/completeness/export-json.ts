import type { CertificateShown } from "../../../api/proof-schemas.ts";
import { get, queryText } from "../api/client.ts";
import { tell } from "../parts/notices.tsx";

/** Saves a certificate as JSON, with the differences of one day. */
export async function exportJson(certificateId: string, day: string): Promise<void> {
  try {
    const differences: CertificateShown["differences"] = [];
    let after: number | null = 0;
    let certificate: CertificateShown["certificate"] | null = null;
    while (after !== null) {
      const path = `/certificates/${certificateId}${queryText({ day, limit: 500, after })}`;
      const page: CertificateShown = await get<CertificateShown>(path);
      certificate = page.certificate;
      differences.push(...page.differences);
      after = page.next;
    }
    const text = JSON.stringify({ ...certificate, differences }, null, 2);
    const url = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    const link = Object.assign(document.createElement("a"), {
      href: url,
      download: `certificate-${day}.json`,
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  } catch (error) {
    tell(`It could not be saved: ${error instanceof Error ? error.message : String(error)}`, { bad: true });
  }
}
