import { may } from "../api/session.ts";
import { Link } from "../kit/router.tsx";
import type { PageProps } from "../pages.ts";
import { PageHead } from "../parts/page-head.tsx";
import { AuditLog } from "./audit-log.tsx";
import { SettingsShownPart } from "./settings-shown.tsx";
import { Upstreams } from "./upstreams.tsx";

/** What is on, off and paused; and who did what, and why. */
export function SettingsPage({ rest: [tab] }: PageProps) {
  const isAudit = tab === "audit" && may("readAuditLog");
  return (
    <>
      <PageHead title="Settings & audit" />
      <nav class="tabs" aria-label="Settings or audit">
        <Link to="settings" class="tab" aria-current={isAudit ? undefined : "page"}>
          Settings
        </Link>
        {may("readAuditLog") && (
          <Link to="settings/audit" class="tab" aria-current={isAudit ? "page" : undefined}>
            Audit log
          </Link>
        )}
      </nav>
      {isAudit ? (
        <AuditLog />
      ) : (
        <>
          <Upstreams />
          <SettingsShownPart />
        </>
      )}
    </>
  );
}
