import type { Status } from "../api/client.ts";
import { doubt } from "../api/status.ts";
import { Link } from "../kit/router.tsx";
import { capital, visibleText } from "../kit/text.ts";
import { shortTime } from "../kit/time.ts";
import { RemedyShown } from "../parts/remedies.tsx";
import { Ago, Badge, Outside, Time } from "../parts/values.tsx";
import { hasWay } from "../parts/ways.ts";
import { BEING_CONFIRMED, sayHere } from "../parts/words.ts";

type Group = Status["openAlarms"][number];

/** How the relay does, in one sentence; what a person is needed for, the worst first. */
export function Headline({ status }: { status: Status }) {
  const { value: why } = doubt;
  const tone = why !== null || status.needsPerson ? "bad" : status.isProven ? "good" : "wait";
  return (
    <section class={`noted is-${tone}`} aria-label="How it does" aria-live="polite">
      <p class="big">{visibleText(headlineOf(status, why))}</p>
      {why !== null && (
        <p>
          <Outside text={why} />
        </p>
      )}
      <p class="quiet">
        {why === null ? "As of" : "The state below is as of"} <Time at={status.at} isWhole />
      </p>
      {isHeldUp(status) && (
        <p>
          <Link to={BEING_CONFIRMED} class="button">
            Open what is being confirmed
          </Link>
        </p>
      )}
      {status.needsPerson && <ToDo status={status} />}
    </section>
  );
}

/** Whether payments wait for their answers longer than a moment, as they always do for one. */
const isHeldUp = ({ waiting, needsPerson, held }: Status): boolean =>
  waiting.length > 0 && (needsPerson || held.length > 0);

/** How many things wait for a person, each counted once. */
export const thingsIn = ({ actionItems, openAlarms }: Pick<Status, "actionItems" | "openAlarms">): number =>
  openAlarms.reduce((sum, { count }) => sum + count, actionItems.length);

/** The headline says that all is well only of a status that is of now. @param why it is not */
export const headlineOf = (status: Pick<Status, "sentence" | "at">, why: string | null): string =>
  why === null ? sayHere(status.sentence) : `Not known since ${shortTime(new Date(status.at))}.`;

/** Faults that need a person, the gravest first. */
function ToDo({ status: { actionItems, openAlarms, alarms } }: { status: Status }) {
  return (
    <ol class="lined">
      {actionItems.map((item) => (
        <Entry key={item.what} of={item} what={item.what} />
      ))}
      {openAlarms.map((group) => (
        <Entry
          key={group.name}
          of={group}
          what={group.subject ? `${group.title} (${group.subject})` : group.title}
          group={group}
          // The newest of them says most of what all of them are.
          detail={alarms.find(({ name }) => name === group.name)?.detail}
        />
      ))}
    </ol>
  );
}

interface EntryProps {
  of: Pick<Status["actionItems"][number], "severity" | "action" | "remedy">;
  what: string;
  group?: Group;
  detail?: string | undefined;
}

const Entry = ({ of: { severity, action, remedy }, what, group, detail }: EntryProps) => (
  <li class="spread">
    <div class="grow">
      <p>
        <Badge state={severity} tone={severity === "critical" ? "bad" : "wait"} />{" "}
        <b>
          <Outside text={`${capital(sayHere(what))}.`} />
        </b>{" "}
        {group !== undefined && <Ages of={group} />}
      </p>
      {detail !== undefined && (
        <p>
          <Outside text={sayHere(detail)} />
        </p>
      )}
      <p class="quiet">
        <Outside text={action} />
      </p>
    </div>
    {remedy !== null && hasWay(remedy) ? (
      <RemedyShown of={remedy} />
    ) : (
      group !== undefined && <RemedyShown of={{ operation: "listAlarms", args: { name: group.name } }} />
    )}
  </li>
);

function Ages({ of: { oldestAt, newestAt, count } }: { of: Group }) {
  const isSpread = count > 1 && newestAt !== oldestAt;
  return (
    <small>
      {isSpread && "the oldest "}
      <Ago at={oldestAt} />
      {isSpread && (
        <>
          , the newest <Ago at={newestAt} />
        </>
      )}
    </small>
  );
}
