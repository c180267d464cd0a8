"use client";

import { useTranslations } from "next-intl";
import { Fragment, type ReactNode } from "react";
import { Field, type FieldControl } from "@/components/form/field";
import { MoneyField } from "@/components/form/money-field";
import { splitList } from "@/components/form/split-list";
import { TagInput } from "@/components/form/tag-input";
import { formatExactQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { Input } from "@/components/ui/input";
import { NativeSelect } from "@/components/ui/native-select";
import { Textarea } from "@/components/ui/textarea";
import { isJsonControl } from "@/lib/option/check";
import type { OptionView } from "@/lib/option/types";
import { textOf } from "./card-draft";
import { ContentEditor } from "./content-editor";
import { FieldFrame, type OptionFieldProps } from "./field-frame";
import { FieldTools } from "./field-tools";
import { OptionSwitch } from "./option-switch";
import { useOptionText } from "./option-text";
import { SecretField } from "./secret-field";
import { useSetting } from "./setting-context";

const WIDE = new Set(["lines", "patterns", "origins", "domains", "markup"]);

/** Whether the option takes the whole width of its card. */
export function isWide(view: OptionView): boolean {
  return WIDE.has(view.control) || isJsonControl(view.control);
}

/** One option with its label, hint, default, history and error. The element's id is the option key, for links to it. */
export function OptionField(props: OptionFieldProps) {
  const { view, state, dispatch } = props;
  const { label } = useOptionText();
  const hint = useHint(view);
  if (view.control === "switch") return <OptionSwitch {...props} hint={hint} />;
  if (view.secret) return <SecretField {...props} hint={hint} />;
  const onText = (text: string) => dispatch({ type: "text", key: view.key, text });
  const field = {
    label: label(view.key),
    hint,
    error: state.errors[view.key],
    aside: <FieldTools view={view} state={state} onDefault={() => dispatch({ type: "default", view })} />,
  };
  return (
    <FieldFrame view={view}>
      {view.unit === "quota" ? (
        <MoneyField {...field} quota={textOf(state, view)} onQuota={onText} />
      ) : (
        <Field {...field}>
          {(control) => <Control view={view} control={control} text={textOf(state, view)} onText={onText} />}
        </Field>
      )}
    </FieldFrame>
  );
}

/** What the option does, and the default where it is short. */
function useHint(view: OptionView): ReactNode {
  const t = useTranslations("setting");
  const { hint } = useOptionText();
  const running = useTranslations("setting.running");
  const setting = useSetting();
  const display = useQuotaDisplay();
  const showDefault = !isWide(view) && view.control !== "switch" && !view.secret && view.default !== "";
  const builtIn = () => {
    if (view.control === "choice") return t(`choice.${view.default as "hour" | "day" | "week"}`);
    return view.unit === "quota" ? formatExactQuota(Number(view.default), display) : view.default;
  };
  const parts = [
    view.isPending ? t("pending") : "",
    hint(view.key),
    showDefault ? t("default", { value: builtIn() }) : "",
  ].filter((part) => part !== "");
  const own = view.running === setting.running ? "" : running(view.running);
  return parts.length === 0 && own === "" ? undefined : <HintLines parts={parts} running={own} />;
}

/** Each part after the first stays together on its line; what saving does to running requests has a line of its own. */
function HintLines({ parts, running }: { parts: readonly string[]; running: string }) {
  const gapAfter = (part = "") => (/[.。]$/.test(part) ? " " : " · ");
  return (
    <>
      {parts.map((part, place) => (
        <Fragment key={part}>
          {place === 0 ? "" : gapAfter(parts[place - 1])}
          <span className={place === 0 ? "" : "inline-block"}>{part}</span>
        </Fragment>
      ))}
      {running === "" ? null : <span className="block">{running}</span>}
    </>
  );
}

type ControlProps = { view: OptionView; control: FieldControl; text: string; onText: (text: string) => void };

function Control({ view, control, text, onText }: ControlProps) {
  switch (view.control) {
    case "number":
      return <NumberInput view={view} control={control} text={text} onText={onText} />;
    case "choice":
      return <ChoiceInput view={view} control={control} text={text} onText={onText} />;
    case "domains":
      return <TagInput control={control} values={splitList(text)} onValues={(values) => onText(values.join(","))} />;
    case "markup":
      return <ContentEditor view={view} control={control} text={text} onText={onText} />;
    case "lines":
    case "patterns":
    case "origins":
      return <TextArea control={control} text={text} onText={onText} />;
    default:
      return isJsonControl(view.control) ? (
        <TextArea control={control} text={text} onText={onText} />
      ) : (
        <Input
          {...control}
          value={text}
          inputMode={view.control === "url" || view.control === "site" ? "url" : "text"}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onText(event.target.value)}
        />
      );
  }
}

function TextArea({ control, text, onText }: Omit<ControlProps, "view">) {
  return (
    <Textarea
      {...control}
      value={text}
      rows={Math.min(14, Math.max(6, text.split("\n").length + 1))}
      spellCheck={false}
      onChange={(event) => onText(event.target.value)}
      className="font-mono text-xs"
    />
  );
}

function NumberInput({ view, control, text, onText }: ControlProps) {
  const t = useTranslations("setting");
  const { symbol } = useQuotaDisplay();
  const unitText = view.unit === "currency" ? symbol : view.unit ? t(`unit.${view.unit}`, { symbol }) : "";
  return (
    <div className="relative">
      <Input
        {...control}
        value={text}
        inputMode={view.integer ? "numeric" : "decimal"}
        autoComplete="off"
        onChange={(event) => onText(event.target.value)}
        className={view.unit ? "pr-24 tabular-nums" : "tabular-nums"}
      />
      {view.unit ? (
        <span className="pointer-events-none absolute inset-y-0 right-2.5 flex items-center text-muted-foreground text-xs">
          {unitText}
        </span>
      ) : null}
    </div>
  );
}

function ChoiceInput({ view, control, text, onText }: ControlProps) {
  const t = useTranslations("setting.choice");
  return (
    <NativeSelect {...control} value={text} onChange={(event) => onText(event.target.value)}>
      {view.choices.map((value) => (
        <option key={value} value={value}>
          {t.has(value as "hour") ? t(value as "hour") : value}
        </option>
      ))}
    </NativeSelect>
  );
}
