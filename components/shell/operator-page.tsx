import { cleanFramedHtml } from "./clean-html";
import { FramedHtml } from "./framed-html";
import { FramedSite } from "./framed-site";
import { OperatorText } from "./operator-text";

type OperatorPageProps = { text: string; title: string };

/** A page written by the operator: an https URL in a frame, HTML in a frame without scripts, or Markdown. */
export function OperatorPage({ text, title }: OperatorPageProps) {
  const trimmed = text.trim();
  if (isAddress(trimmed)) return <FramedSite address={trimmed} title={title} />;
  if (trimmed.startsWith("<")) return <FramedHtml html={cleanFramedHtml(trimmed)} title={title} />;
  return (
    <div className="mx-auto max-w-4xl px-5 py-10">
      <OperatorText text={text} />
    </div>
  );
}

function isAddress(text: string): boolean {
  return /^https:\/\/\S+$/i.test(text) && URL.canParse(text);
}
