import { PageHead } from "../parts/page-head.tsx";
import { Loading } from "../parts/states.tsx";

export function ReplaysPage() {
  return (
    <>
      <PageHead title="Replays" />
      <Loading what="it" />
    </>
  );
}
