import Markdown from "react-markdown";
import rehypeSanitize from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import { cleanHtml } from "./clean-html";

const STYLE =
  "break-words text-sm leading-relaxed [contain:content] [&_a]:text-primary [&_a]:underline [&_h1]:mb-2 [&_h1]:font-semibold [&_h1]:text-base [&_h2]:mb-2 [&_h2]:font-semibold [&_img]:max-w-full [&_li]:ml-5 [&_ol]:list-decimal [&_p:not(:last-child)]:mb-2 [&_pre]:overflow-x-auto [&_ul]:list-disc";

/** The operator's text as Markdown, or as HTML if it starts with a tag. Both are sanitised: no scripts, no page styles. */
export function OperatorText({ text }: { text: string }) {
  if (text.trimStart().startsWith("<")) {
    // biome-ignore lint/security/noDangerouslySetInnerHtml: sanitised, on the server
    return <div className={STYLE} dangerouslySetInnerHTML={{ __html: cleanHtml(text) }} />;
  }
  return (
    <div className={STYLE}>
      <Markdown remarkPlugins={[remarkGfm]} rehypePlugins={[rehypeSanitize]}>
        {text}
      </Markdown>
    </div>
  );
}
