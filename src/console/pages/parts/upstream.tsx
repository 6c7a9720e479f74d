import type { Activity } from "../api/types.ts";
import { Badge, Outside, Time } from "./values.tsx";

/** A source or topic, as the admin API lists it. */
export type Upstream = Activity["upstreams"]["sources"][number];

export const UpstreamBadge = ({ upstream: { state } }: { upstream: Upstream }) => (
  <Badge state={state} {...(state === "refused" && { as: "refuses us" })} />
);

/** Why nothing goes there, and until when; nothing where all does. */
export function UpstreamWhy({ upstream }: { upstream: Upstream }) {
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
