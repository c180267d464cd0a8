"use client";

import { ImageOff } from "lucide-react";
import { useTranslations } from "next-intl";
import { type ComponentProps, memo, type ReactNode } from "react";
import Markdown, { type Components } from "react-markdown";
import rehypeSanitize from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import { CopyButton } from "@/components/form/copy-button";

const STYLE =
  "min-w-0 break-words leading-relaxed [&>*:first-child]:mt-0 [&>*:last-child]:mb-0 [&_:not(pre)>code]:rounded [&_:not(pre)>code]:bg-muted [&_:not(pre)>code]:px-1 [&_:not(pre)>code]:font-mono [&_:not(pre)>code]:text-[0.8125rem] [&_a]:text-primary [&_a]:underline [&_blockquote]:border-l-2 [&_blockquote]:pl-3 [&_blockquote]:text-muted-foreground [&_hr]:my-4 [&_li]:my-0.5 [&_ol]:my-2 [&_ol]:list-decimal [&_ol]:pl-6 [&_p]:my-2 [&_table]:my-2 [&_table]:border-collapse [&_td]:border [&_td]:px-2 [&_td]:py-1 [&_th]:border [&_th]:bg-muted [&_th]:px-2 [&_th]:py-1 [&_th]:text-left [&_ul]:my-2 [&_ul]:list-disc [&_ul]:pl-6";

/**
 * Model output as Markdown without HTML. External images are not loaded: by prompt injection, an image URL could leak the
 * conversation to another site.
 */
export const MessageMarkdown = memo(function MessageMarkdown({ text }: { text: string }) {
  return (
    <div className={STYLE}>
      <Markdown remarkPlugins={[remarkGfm]} rehypePlugins={[rehypeSanitize]} components={PARTS}>
        {text}
      </Markdown>
    </div>
  );
});

function OutsideLink({ href, children }: ComponentProps<"a">) {
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

function BlockedImage({ alt, src }: ComponentProps<"img">) {
  const t = useTranslations("playground");
  const address = typeof src === "string" ? src : "";
  return (
    <a
      href={address}
      target="_blank"
      rel="noopener noreferrer nofollow"
      title={address}
      className="inline-flex items-center gap-1 rounded bg-muted px-1.5 py-0.5 text-xs"
    >
      <ImageOff className="size-3.5" aria-hidden />
      {t("imageBlocked", { name: alt || address })}
    </a>
  );
}

/** Scrolls on its own if it is wider than the message. */
function WideTable({ children }: ComponentProps<"table">) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div tabIndex={0} className="overflow-x-auto">
      <table>{children}</table>
    </div>
  );
}

function Code({ children, node }: ComponentProps<"pre"> & { node?: unknown }) {
  const t = useTranslations("playground");
  return (
    <div className="group relative my-2">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        className="overflow-x-auto rounded-md bg-muted p-3 pr-11 font-mono text-xs leading-relaxed"
      >
        {children as ReactNode}
      </pre>
      <CopyButton
        variant="ghost"
        size="icon"
        aria-label={t("copyCode")}
        className="absolute top-1 right-1"
        text={plainText(node)}
      />
    </div>
  );
}

/** The concatenated text of a syntax tree node. */
function plainText(node: unknown): string {
  if (typeof node !== "object" || node === null) return "";
  const { value, children } = node as { value?: unknown; children?: unknown };
  if (typeof value === "string") return value;
  return Array.isArray(children) ? children.map(plainText).join("") : "";
}

type HeadingProps = { children?: ReactNode };

/** All heading levels become h3 below the speaker's name; only the size reflects the level. */
const LargeHeading = ({ children }: HeadingProps) => <h3 className="mt-4 mb-2 font-semibold text-lg">{children}</h3>;
const MiddleHeading = ({ children }: HeadingProps) => <h3 className="mt-4 mb-2 font-semibold text-base">{children}</h3>;
const SmallHeading = ({ children }: HeadingProps) => <h3 className="mt-3 mb-1.5 font-semibold">{children}</h3>;

const PARTS: Components = {
  a: OutsideLink,
  img: BlockedImage,
  pre: Code,
  table: WideTable,
  h1: LargeHeading,
  h2: MiddleHeading,
  h3: SmallHeading,
  h4: SmallHeading,
  h5: SmallHeading,
  h6: SmallHeading,
};
