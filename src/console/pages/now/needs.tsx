import type { Status } from "../api/types.ts";
import { AlarmSubject } from "../attention/alarms.tsx";
import { capital } from "../kit/capital.ts";
import { Link } from "../kit/router.tsx";
import { Badge } from "../parts/badge.tsx";
import { Outside } from "../parts/outside.tsx";
import { Section } from "../parts/page-head.tsx";
import { Ago } from "../parts/time.tsx";

const PAGES: Record<NonNullable<Status["needs"][number]["page"]>, { to: string; name: string }> = {
  dead: { to: "attention/dead", name: "dead letters" },
  quarantine: { to: "attention/quarantine", name: "quarantine" },
  alarms: { to: "attention/alarms", name: "alarms" },
  completeness: { to: "completeness", name: "Completeness" },
  settings: { to: "settings", name: "Settings" },
};

/** What waits for a person, each with what to do. */
export function Needs({ needs }: Pick<Status, "needs">) {
  if (needs.length === 0) return null;
  return (
    <ol class="needs">
      {needs.map(({ what, action, page }) => (
        <li key={what}>
          <div class="needs-says">
            <p class="needs-what">
              <Outside text={`${capital(what)}.`} />
            </p>
            <p class="quiet">
              <Outside text={action} />
            </p>
          </div>
          {page !== null && (
            <Link to={PAGES[page].to} class="button">
              Open {PAGES[page].name}
            </Link>
          )}
        </li>
      ))}
    </ol>
  );
}

/** Open alarms, the newest first. */
export function OpenAlarms({ alarms }: Pick<Status, "alarms">) {
  if (alarms.length === 0) return null;
  return (
    <Section title="Open alarms" aside={<Link to="attention">All that needs attention</Link>}>
      <ul class="alarms">
        {alarms.map(({ name, about, source, subject, detail, action, raisedAt, times }) => (
          <li key={`${name} ${source} ${subject}`}>
            <p class="alarm-name">
              <span>
                <Badge state={name} tone="bad" /> <AlarmSubject alarm={{ about, subject }} />
              </span>
              <small>
                {times > 1 && `${times} times, first `}
                <Ago at={raisedAt} />
              </small>
            </p>
            <p>
              <Outside text={detail} />
            </p>
            <p class="quiet">
              <Outside text={action} />
            </p>
          </li>
        ))}
      </ul>
    </Section>
  );
}
