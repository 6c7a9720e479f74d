import { PageHead } from "../parts/page-head.tsx";
import { Loading } from "../parts/states.tsx";

export function NowPage() {
  return (
    <>
      <PageHead title="Now" />
      <Loading what="it" />
    </>
  );
}
