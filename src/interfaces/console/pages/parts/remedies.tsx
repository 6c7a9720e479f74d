import type { AnyRemedy } from "../../../../platform/errors/remedy.ts";
import { Link } from "../kit/router.tsx";
import { ActButton } from "./acts.tsx";
import { perform } from "./operations.ts";
import { ACTS, wayOf } from "./ways.ts";

/** Shows a remedy as a link or a button; nothing for remedies that only a terminal has. */
export function RemedyShown({ of: { operation, args, why } }: { of: AnyRemedy & { why?: string } }) {
  const way = wayOf({ operation, args } as AnyRemedy);
  if (way !== null) {
    const [to, title] = way;
    return (
      <Link to={to} class="button">
        {why ?? title}
      </Link>
    );
  }
  const title = why ?? ACTS[operation];
  if (title === undefined) return null;
  return (
    <ActButton
      {...{ operation, title, question: `${title}?`, isMain: why !== undefined }}
      run={async (reason) => {
        await perform(operation, { ...args, reason });
        return "Done.";
      }}
    />
  );
}
