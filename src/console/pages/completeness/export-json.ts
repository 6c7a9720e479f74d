import { get } from "../api/client.ts";
import type { CertificateShown } from "../api/types.ts";
import { tell } from "../parts/notices.tsx";

/** Saves a certificate as JSON, with the differences of one day. */
export async function exportJson(certificateId: string, day: string): Promise<void> {
  try {
    const differences: CertificateShown["differences"] = [];
    let after: number | null = 0;
    let certificate: CertificateShown["certificate"] | null = null;
    while (after !== null) {
      const page: CertificateShown = await get("/certificates/{id}", {
        path: { id: certificateId },
        query: { day, limit: 500, after },
      });
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
