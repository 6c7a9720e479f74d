import type { Activity } from "../api/types.ts";
import { Badge, Outside, Time } from "./values.tsx";

/** A source or topic, as the admin API lists it. */
export type Upstream = Activity["upstreams"]["sources"][number];

/** A source or topic, how it does, and why. @param what which of them it is. */
export const UpstreamShown = ({ upstream, what }: { upstream: Upstream; what: string }) => (
  <>
    <p class="name-and-state">
      <span>
        <small>{what}</small> <Outside text={upstream.name.split(":").at(-1) ?? upstream.name} />
      </span>
      <Badge state={upstream.state} {...(upstream.state === "refused" && { as: "refuses us" })} />
    </p>
    <UpstreamWhy upstream={upstream} />
  </>
);

/** Why nothing goes there, and until when; nothing where all does. */
function UpstreamWhy({ upstream }: { upstream: Upstream }) {
  const { state, pausedAt, pausedUntil, pauseReason, lastError, opensAt } = upstream;
  if (state === "closed") return null;
  const isPaused = state === "paused";
  const reasons = [pauseReason, isPaused ? null : lastError].filter((reason) => reason !== null);
  return (
    <p class="quiet">
      {reasons.map((reason) => (
        <Outside key={reason} text={`${reason.replace(/[.\s]+$/, "")}. `} />
      ))}
      {isPaused && pausedAt !== null && (
        <>
          Since <Time at={pausedAt} />,{" "}
          {pausedUntil === null ? (
            "until somebody resumes it"
          ) : (
            <>
              until <Time at={pausedUntil} />
            </>
          )}
          .
        </>
      )}
      {state === "backing_off" && opensAt !== null && (
        <>
          Tried again at <Time at={opensAt} />.
        </>
      )}
    </p>
  );
}
