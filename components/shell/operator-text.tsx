import { RichMarkdown } from "@/components/format/rich-markdown";
import { cleanHtml } from "./clean-html";

/** The operator's text as Markdown, or as HTML if it starts with a tag. Both are sanitised: no scripts, no page styles. */
export function OperatorText({ text }: { text: string }) {
  const isHtml = text.trimStart().startsWith("<");
  return (
    <div className="text-sm [contain:content]">
      {isHtml ? (
        // biome-ignore lint/security/noDangerouslySetInnerHtml: sanitised, on the server
        <div className="rich-text" dir="auto" dangerouslySetInnerHTML={{ __html: cleanHtml(text) }} />
      ) : (
        <RichMarkdown text={text} />
      )}
    </div>
  );
}
