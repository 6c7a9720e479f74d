import { Component, type ComponentChildren } from "preact";
import { Link } from "../kit/router.tsx";
import { visibleText } from "../kit/text.ts";
import { Empty, PageHead } from "../parts/page.tsx";

interface BoundaryProps {
  /** The page's address: another one gets a new chance. */
  where: string;
  children: ComponentChildren;
}

interface BoundaryState {
  where: string;
  error: unknown;
}

/** A page that breaks takes nothing else with it: the way to the others stays, and what went wrong is said. */
export class PageBoundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { where: "", error: undefined };

  static override getDerivedStateFromProps = ({ where }: BoundaryProps, state: BoundaryState) =>
    where === state.where ? null : { where, error: undefined };

  static override getDerivedStateFromError = (error: unknown) => ({ error });

  override componentDidCatch(error: unknown): void {
    reportError(error);
  }

  override render({ children }: BoundaryProps, { error }: BoundaryState) {
    return error === undefined ? children : <Broken error={error} />;
  }
}

function Broken({ error }: { error: unknown }) {
  return (
    <>
      <PageHead title="This page cannot be shown" />
      <Empty title="Something in it broke the console; the relay is not touched by that.">
        <p>
          <code>{visibleText(String(error))}</code>
        </p>
        <p class="row">
          <button type="button" class="button is-primary" onClick={() => location.reload()}>
            Load it again
          </button>
          <Link to="" class="button">
            Go to Now
          </Link>
        </p>
      </Empty>
    </>
  );
}
