import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Link } from "../kit/router.tsx";
import { Icon } from "./icon.tsx";
import { Outside } from "./outside.tsx";

interface PageHeadProps {
  title: string;
  /** The page above it: its address, and its name. */
  above?: { to: string; name: string };
  /** A sentence, in which others may have written, or a few facts under the title. */
  says?: ComponentChildren;
  /** Buttons at its right. */
  children?: ComponentChildren;
}

/** The one heading of a page, which is the window's title, too. */
export function PageHead({ title, above, says, children }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · invoice-relay`;
  }, [title]);
  return (
    <header class="page-head">
      <div>
        {above !== undefined && (
          <Link to={above.to} class="above">
            <Icon name="back" />
            {above.name}
          </Link>
        )}
        <h1 tabIndex={-1}>{title}</h1>
        {says !== undefined && (
          <div class="page-says">{typeof says === "string" ? <Outside text={says} /> : says}</div>
        )}
      </div>
      {children !== undefined && <div class="actions">{children}</div>}
    </header>
  );
}

interface SectionProps {
  title: string;
  /** Beside the title: a count, a button. */
  aside?: ComponentChildren;
  children: ComponentChildren;
}

/** A part of a page under a heading of its own. */
export function Section({ title, aside, children }: SectionProps) {
  const id = `section-${title.toLowerCase().replaceAll(/\W+/g, "-")}`;
  return (
    <section class="section" aria-labelledby={id}>
      <div class="section-head">
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** Names and what they are, in two columns. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
