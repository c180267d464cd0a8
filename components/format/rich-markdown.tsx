import type { ComponentProps } from "react";
import Markdown, { type Components } from "react-markdown";
import rehypeSanitize from "rehype-sanitize";
import remarkGfm from "remark-gfm";

type RichMarkdownProps = {
  text: string;
  /** Elements that are drawn in another way. */
  parts?: Components;
};

/** Markdown that people or models wrote, without HTML. Looks the same everywhere: `.rich-text` in app/globals.css. */
export function RichMarkdown({ text, parts }: RichMarkdownProps) {
  return (
    <div className="rich-text">
      <Markdown
        remarkPlugins={[remarkGfm]}
        rehypePlugins={[rehypeSanitize, directed]}
        components={parts ? { ...PARTS, ...parts } : PARTS}
      >
        {text}
      </Markdown>
    </div>
  );
}

/** Scrolls on its own if it is wider than the text around it. */
function WideTable({ children, dir }: ComponentProps<"table">) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div tabIndex={0} className="rich-scroll">
      <table dir={dir}>{children}</table>
    </div>
  );
}

function WideCode({ children }: ComponentProps<"pre">) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <pre tabIndex={0} dir="ltr">
      {children}
    </pre>
  );
}

const PARTS: Components = { table: WideTable, pre: WideCode };

type TreeNode = {
  type: string;
  tagName?: string;
  value?: string;
  properties?: Record<string, unknown>;
  children?: TreeNode[];
};

const LEAVES = new Set(["p", "h1", "h2", "h3", "h4", "h5", "h6", "th", "td"]);
/** The browser takes no direction for these from texts that have one of their own, as their paragraphs do. */
const CONTAINERS = new Set(["ul", "ol", "blockquote", "table"]);

/** A rehype plugin: each paragraph and each list goes in the direction of its own text. */
function directed() {
  return direct;
}

function direct(node: TreeNode): void {
  const { tagName = "", properties } = node;
  if (tagName === "pre") return;
  if (properties && LEAVES.has(tagName)) properties.dir = "auto";
  if (properties && CONTAINERS.has(tagName) && isRightToLeft(textOf(node))) properties.dir = "rtl";
  for (const child of node.children ?? []) direct(child);
}

const LETTER = /\p{L}/u;
const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** By the first letter, as `dir="auto"` does. */
function isRightToLeft(text: string): boolean {
  return RIGHT_TO_LEFT.test(LETTER.exec(text)?.[0] ?? "");
}

/** The text of a node of the tree and all below it. */
export function textOf(node: TreeNode): string {
  return node.value ?? (node.children ?? []).map(textOf).join("");
}
