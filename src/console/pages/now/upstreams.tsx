import type { Activity } from "../api/types.ts";
import { Badge } from "../parts/badge.tsx";
import { Outside } from "../parts/outside.tsx";
import { Section } from "../parts/page-head.tsx";
import { Time } from "../parts/time.tsx";

type Upstream = Activity["upstreams"]["sources"][number];

/** The provider's accounts and the topics, each with its circuit breaker. */
export function Upstreams({ upstreams: { sources, topics } }: { upstreams: Activity["upstreams"] }) {
  return (
    <Section title="Provider and topics">
      <ul class="upstreams">
        {sources.map((source) => (
          <One key={source.name} upstream={source} what="Provider, source" />
        ))}
        {topics.map((topic) => (
          <One key={topic.name} upstream={topic} what="Topic" />
        ))}
        {sources.length + topics.length === 0 && <li class="quiet">None was used yet.</li>}
      </ul>
    </Section>
  );
}

function One({ upstream, what }: { upstream: Upstream; what: string }) {
  const { name, state, lastError, pauseReason, pausedUntil, opensAt } = upstream;
  return (
    <li>
      <p class="upstream-name">
        <span>
          <small>{what}</small> <Outside text={name.split(":").at(-1) ?? name} />
        </span>
        <Badge state={state} {...(state === "refused" && { as: "refuses us" })} />
      </p>
      {state !== "closed" && (
        <p class="quiet">
          {pauseReason !== null && <Outside text={`${pauseReason.replace(/[.\s]+$/, "")}. `} />}
          {state !== "paused" && lastError !== null && (
            <Outside text={`${lastError.replace(/[.\s]+$/, "")}. `} />
          )}
          {pausedUntil !== null && (
            <>
              Until <Time at={pausedUntil} />.
            </>
          )}
          {state === "backing_off" && opensAt !== null && (
            <>
              Tried again at <Time at={opensAt} />.
            </>
          )}
        </p>
      )}
    </li>
  );
}
