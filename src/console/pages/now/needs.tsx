import type { Status } from "../api/types.ts";
import { AlarmSubject } from "../attention/alarms.tsx";
import { Link } from "../kit/router.tsx";
import { withoutCommand } from "../kit/without-command.ts";
import { Badge } from "../parts/badge.tsx";
import { Outside } from "../parts/outside.tsx";
import { Section } from "../parts/page-head.tsx";
import { Ago } from "../parts/time.tsx";
import { adviceOf, pageFor, wordsOf } from "./headline.ts";

/** What waits for a person, each with what to do. */
export function Needs({ needs }: Pick<Status, "needs">) {
  if (needs.length === 0) return null;
  return (
    <ol class="needs">
      {needs.map(({ what, action }) => {
        const page = pageFor(action);
        const advice = adviceOf(action);
        return (
          <li key={what}>
            <div class="needs-says">
              <p class="needs-what">
                <Outside text={wordsOf(what)} />
              </p>
              {advice !== "" && (
                <p class="quiet">
                  <Outside text={advice} />
                </p>
              )}
            </div>
            {page !== null && (
              <Link to={page.to} class="button">
                Open {page.name}
              </Link>
            )}
          </li>
        );
      })}
    </ol>
  );
}

/** Open alarms, the newest first. */
export function OpenAlarms({ alarms }: Pick<Status, "alarms">) {
  if (alarms.length === 0) return null;
  return (
    <Section title="Open alarms" aside={<Link to="attention">All that needs attention</Link>}>
      <ul class="alarms">
        {alarms.map(({ name, source, subject, detail, action, raisedAt, times }) => (
          <li key={`${name} ${source} ${subject}`}>
            <p class="alarm-name">
              <span>
                <Badge state={name} tone="bad" /> <AlarmSubject alarm={{ name, subject }} />
              </span>
              <small>
                {times > 1 && `${times} times, first `}
                <Ago at={raisedAt} />
              </small>
            </p>
            <p>
              <Outside text={withoutCommand(detail)} />
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
