import type { ListPage } from "../api/use-answer.ts";
import { Link } from "../kit/router.tsx";
import { Outside, ShortId, Time } from "../parts/values.tsx";

/** What a search took its text for, and what it found besides payments. */
export function Searched({ page: { items, searched = [], others = [] } }: { page: ListPage<unknown> }) {
  const last = searched.at(-1);
  if (last === undefined) return null;
  return (
    <div class="stack searched" role="status">
      {items.length > 0 ? (
        <p class="quiet">
          Found by <Outside text={last} />.
        </p>
      ) : (
        <p>
          Looked for{" "}
          {searched.map((one, index) => (
            <span key={one}>
              {index > 0 && (index === searched.length - 1 ? ", and for " : ", for ")}
              <Outside text={one} />
            </span>
          ))}
          .
        </p>
      )}
      {others.length > 0 && (
        <p>
          {items.length > 0 ? "Also with such an id: " : "With such an id there is "}
          {others.map((one, index) => (
            <span key={one.id}>
              {index > 0 && ", "}
              <Other found={one} />
            </span>
          ))}
          .
        </p>
      )}
    </div>
  );
}

type OtherFound = NonNullable<ListPage<unknown>["others"]>[number];

const PAGES: Record<OtherFound["what"], (id: string) => string> = {
  callback: (id) => `callbacks/${id}`,
  certificate: () => "completeness",
  replay: (id) => `replays/${id}`,
};

const Other = ({ found: { what, id, at } }: { found: OtherFound }) => (
  <>
    <Link to={PAGES[what](id)}>
      {what} <ShortId id={id} />
    </Link>{" "}
    of <Time at={at} />
  </>
);
