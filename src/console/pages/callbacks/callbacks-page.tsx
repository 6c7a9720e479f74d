import { PageHead } from "../parts/page-head.tsx";
import { Loading } from "../parts/states.tsx";

export function CallbacksPage() {
  return (
    <>
      <PageHead title="Callbacks" />
      <Loading what="it" />
    </>
  );
}
