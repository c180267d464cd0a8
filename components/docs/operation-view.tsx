"use client";

import { ChevronRight, Link2 } from "lucide-react";
import { useTranslations } from "next-intl";
import { useEffect, useState } from "react";
import { CopyButton, useCopy } from "@/components/form/copy-button";
import { Badge, type Hue } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import { CodeBlock } from "@/components/ui/code-block";
import { Segmented } from "@/components/ui/segmented";
import type { JsonSchema, Operation } from "@/lib/http/openapi/types";
import { type SampleLanguage, toSample } from "./samples";
import { type FieldRow, fieldsOf, replyFieldsOf, typeText } from "./schema-text";

export type ListedOperation = { method: string; path: string; operation: Operation };

type OperationViewProps = ListedOperation & {
  named: Record<string, JsonSchema>;
  baseUrl: string;
  userId: number;
};

const LANGUAGES: readonly { value: SampleLanguage; label: string }[] = [
  { value: "curl", label: "curl" },
  { value: "python", label: "Python" },
  { value: "typescript", label: "TypeScript" },
];

const METHOD_HUES: Record<string, Hue> = { GET: "blue", POST: "green", PUT: "orange", DELETE: "red" };

/** One API operation; expands to its parameters, body and code samples. */
export function OperationView(props: OperationViewProps) {
  const { method, path, operation } = props;
  const t = useTranslations("docs");
  const [open, setOpen] = useState(false);
  const anchor = operation.operationId;
  // Opens when the URL fragment names this operation.
  useEffect(() => {
    const onHash = () => {
      if (decodeURIComponent(window.location.hash.slice(1)) === anchor) setOpen(true);
    };
    onHash();
    window.addEventListener("hashchange", onHash);
    return () => window.removeEventListener("hashchange", onHash);
  }, [anchor]);
  return (
    <div id={anchor} className="scroll-mt-16 border-b last:border-b-0">
      <h3 dir="auto">
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="flex w-full flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 text-left font-normal hover:bg-muted/50"
        >
          <ChevronRight
            aria-hidden
            className={cn("size-4 shrink-0 text-muted-foreground transition-transform", open && "rotate-90")}
          />
          <Badge hue={METHOD_HUES[method] ?? "grey"} className="w-16 justify-center font-mono">
            {method}
          </Badge>
          <code className="break-all font-mono text-[0.8125rem]">{path}</code>
          <span className="min-w-0 flex-1 text-muted-foreground max-sm:basis-full">{operation.summary}</span>
          <Badge>{t(`access.${operation["x-access"]}`)}</Badge>
        </button>
      </h3>
      {open ? <OperationDetail {...props} /> : null}
    </div>
  );
}

function OperationDetail({ method, path, operation, named, baseUrl, userId }: OperationViewProps) {
  const t = useTranslations("docs");
  const parameters = (operation.parameters ?? []).map(
    (parameter): FieldRow => ({
      name: parameter.in === "path" ? `{${parameter.name}}` : parameter.name,
      type: typeText(parameter.schema, named),
      required: parameter.required,
    }),
  );
  const schema = operation.requestBody?.content["application/json"]?.schema;
  const reply = replyFieldsOf(operation, named);
  const copy = useCopy();
  const [language, setLanguage] = useState<SampleLanguage>("curl");
  const sample = toSample(language, { baseUrl, method, path, operation, userId }, named);
  const copyLink = () => {
    const { origin, pathname } = window.location;
    void copy(`${origin}${pathname}#${encodeURIComponent(operation.operationId)}`);
  };
  return (
    <div className="flex flex-col gap-4 px-4 pt-1 pb-4 md:pl-11">
      {parameters.length > 0 ? <Fields title={t("parameters")} rows={parameters} /> : null}
      {schema ? <Fields title={t("body")} rows={fieldsOf(schema, named)} /> : null}
      <div>
        <div className="mb-1.5 flex flex-wrap items-center gap-x-3 gap-y-1.5">
          <h4 dir="auto" className="font-medium text-sm">
            {t("example")}
          </h4>
          <Segmented label={t("language")} value={language} choices={LANGUAGES} onValue={setLanguage} />
          <span className="ml-auto flex gap-1">
            <Button variant="ghost" size="icon" aria-label={t("copyLink", { path })} onClick={copyLink}>
              <Link2 />
            </Button>
            <CopyButton variant="ghost" size="icon" aria-label={t("copyExample", { path })} text={sample} />
          </span>
        </div>
        <CodeBlock>{sample}</CodeBlock>
      </div>
      {reply.length > 0 ? <Fields title={t("reply")} rows={reply} sure={t("always")} /> : null}
    </div>
  );
}

/** `sure` is the heading of the last column; the default is "required". */
type FieldsProps = { title: string; rows: readonly FieldRow[]; sure?: string };

function Fields({ title, rows, sure }: FieldsProps) {
  const t = useTranslations("docs");
  if (rows.length === 0) return <p className="text-muted-foreground">{t("freeBody")}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <div tabIndex={0} className="overflow-x-auto">
      <table className="w-full text-left text-xs">
        <caption className="pb-1 text-left font-medium text-sm">{title}</caption>
        <thead className="text-muted-foreground">
          <tr>
            <th scope="col" className="py-1 pr-4 font-medium">
              {t("field")}
            </th>
            <th scope="col" className="py-1 pr-4 font-medium">
              {t("type")}
            </th>
            <th scope="col" className="py-1 font-medium">
              {sure ?? t("required")}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name} className="border-t">
              <td dir="auto" className="py-1.5 pr-4 font-mono">
                {row.name}
              </td>
              <td dir="auto" className="py-1.5 pr-4 font-mono text-muted-foreground">
                {row.type}
              </td>
              <td dir="auto" className="py-1.5">
                {row.required ? t("yes") : t("no")}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
