import { NotFoundMessage } from "@/components/shell/not-found-message";

/** An address that a public route refuses. The layout has the bar already. */
export default function PublicNotFound() {
  return <NotFoundMessage consoleHref={null} />;
}
