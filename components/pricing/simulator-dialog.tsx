"use client";

import { useTranslations } from "next-intl";
import { useEffect, useId, useState } from "react";
import { Field } from "@/components/form/field";
import { NumberInput } from "@/components/form/number-input";
import { useMeterNames } from "@/components/format/meter-names";
import { formatQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { BillTable } from "@/components/log/bill-table";
import { Modal } from "@/components/overlay/modal";
import { Input } from "@/components/ui/input";
import { NativeSelect } from "@/components/ui/native-select";
import type { PriceList, SimulatedCharge } from "@/lib/pricing/types";
import { simulateCharge } from "./actions";

const TYPING_PAUSE_MS = 250;

type Usage = {
  model: string;
  group: string;
  promptTokens: string;
  cachedTokens: string;
  completionTokens: string;
  audioPromptTokens: string;
  audioCompletionTokens: string;
  imagePromptTokens: string;
  meter: string;
  quantity: string;
};

type SimulatorDialogProps = {
  /** The initial model; null = closed. */
  model: string | null;
  group: string;
  prices: PriceList;
  onClose: () => void;
};

/** Estimates the cost of a request with the relay's price function. */
export function SimulatorDialog({ model, ...rest }: SimulatorDialogProps) {
  const t = useTranslations("pricing");
  return (
    <Modal
      open={model !== null}
      onClose={rest.onClose}
      title={t("simulator")}
      description={t("simulatorText")}
      className="max-w-2xl"
    >
      {model === null ? null : <Simulator model={model} {...rest} />}
    </Modal>
  );
}

type Outcome = { charge: SimulatedCharge } | { message: string };

function Simulator({ model, group, prices }: Omit<SimulatorDialogProps, "onClose" | "model"> & { model: string }) {
  const t = useTranslations("pricing");
  const failure = useTranslations("failure");
  const [usage, setUsage] = useState<Usage>({
    model,
    group: group in prices.groupRatio ? group : (Object.keys(prices.groupRatio)[0] ?? "default"),
    promptTokens: "1000",
    cachedTokens: "0",
    completionTokens: "500",
    audioPromptTokens: "0",
    audioCompletionTokens: "0",
    imagePromptTokens: "0",
    meter: "",
    quantity: "1",
  });
  const [requests, setRequests] = useState("1");
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const network = failure("network");

  useEffect(() => {
    let stale = false;
    const timer = setTimeout(async () => {
      const result = await simulateCharge(usage).catch(() => null);
      if (stale) return;
      if (result?.ok) setOutcome({ charge: result.data });
      else setOutcome({ message: (result && (Object.values(result.fields)[0] ?? result.message)) || network });
    }, TYPING_PAUSE_MS);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [usage, network]);

  const onChange = (change: Partial<Usage>) => setUsage((before) => ({ ...before, ...change }));
  return (
    <div className="flex flex-col gap-4">
      <SimulatorFields usage={usage} prices={prices} onChange={onChange} />
      <MeterFields usage={usage} prices={prices} onChange={onChange} />
      <Field label={t("requests")}>
        {(control) => (
          <NumberInput {...control} min={1} value={requests} onChange={(event) => setRequests(event.target.value)} />
        )}
      </Field>
      <div aria-live="polite" className="flex flex-col gap-2">
        {outcome && "message" in outcome ? <p className="text-destructive">{outcome.message}</p> : null}
        {outcome && "charge" in outcome ? <Charge charge={outcome.charge} requests={Number(requests)} /> : null}
      </div>
    </div>
  );
}

function Charge({ charge, requests }: { charge: SimulatedCharge; requests: number }) {
  const t = useTranslations("pricing");
  const display = useQuotaDisplay();
  const count = Number.isFinite(requests) && requests > 1 ? Math.floor(requests) : 1;
  const quota = (charge.quota * count).toLocaleString("en-US");
  return (
    <>
      <BillTable
        bill={{ lines: charge.lines, groupRatio: charge.groupRatio, total: charge.quota, notes: [], beyond: 0 }}
      />
      <p className="font-medium" data-testid="simulated" title={t("simulatedQuota", { quota })}>
        {t("simulated", {
          amount: formatQuota(charge.quota * count, display, 6),
          requests: count,
        })}
      </p>
    </>
  );
}

/** How much of a meter is used, for models that have prices of some. */
function MeterFields({ usage, prices, onChange }: FieldsProps) {
  const t = useTranslations("pricing");
  const { labelOf } = useMeterNames();
  const keys = Object.keys(prices.models.find(({ modelName }) => modelName === usage.model)?.meterPrices ?? {});
  if (keys.length === 0) return null;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label={t("meter")}>
        {(control) => (
          <NativeSelect {...control} value={usage.meter} onChange={(event) => onChange({ meter: event.target.value })}>
            <option value="">{t("none")}</option>
            {keys.map((key) => (
              <option key={key} value={key}>
                {labelOf(key)}
              </option>
            ))}
          </NativeSelect>
        )}
      </Field>
      <Field label={t("meterQuantity")}>
        {(control) => (
          <NumberInput
            {...control}
            value={usage.quantity}
            onChange={(event) => onChange({ quantity: event.target.value })}
          />
        )}
      </Field>
    </div>
  );
}

type FieldsProps = { usage: Usage; prices: PriceList; onChange: (change: Partial<Usage>) => void };

function SimulatorFields({ usage, prices, onChange }: FieldsProps) {
  const t = useTranslations("pricing");
  const { labelOf } = useMeterNames();
  const listId = useId();
  const media = prices.models.find(({ modelName }) => modelName === usage.model)?.media;
  const numbers = [
    { key: "promptTokens", label: t("promptTokens"), hint: t("promptHint") },
    { key: "cachedTokens", label: t("cachedTokens"), hint: undefined },
    { key: "completionTokens", label: t("completionTokens"), hint: undefined },
    ...(media?.audioRatio === undefined
      ? []
      : [{ key: "audioPromptTokens", label: labelOf("audio"), hint: t("ofPrompt") } as const]),
    ...(media?.audioRatio === undefined && media?.audioCompletionRatio === undefined
      ? []
      : [{ key: "audioCompletionTokens", label: labelOf("audioOut"), hint: t("ofCompletion") } as const]),
    ...(media?.imageRatio === undefined
      ? []
      : [{ key: "imagePromptTokens", label: labelOf("image"), hint: t("ofPrompt") } as const]),
  ] as const;
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t("name")}>
          {(control) => (
            <>
              <Input
                {...control}
                list={listId}
                value={usage.model}
                autoComplete="off"
                onChange={(event) => onChange({ model: event.target.value })}
              />
              <datalist id={listId}>
                {prices.models.map(({ modelName }) => (
                  <option key={modelName} value={modelName} />
                ))}
              </datalist>
            </>
          )}
        </Field>
        <Field label={t("group")}>
          {(control) => (
            <NativeSelect
              {...control}
              value={usage.group}
              onChange={(event) => onChange({ group: event.target.value })}
            >
              {Object.entries(prices.groupRatio).map(([name, ratio]) => (
                <option key={name} value={name}>{`${name} · ${ratio}x`}</option>
              ))}
            </NativeSelect>
          )}
        </Field>
      </div>
      <div className="grid gap-4 sm:grid-cols-3">
        {numbers.map(({ key, label, hint }) => (
          <Field key={key} label={label} hint={hint}>
            {(control) => (
              <NumberInput
                {...control}
                value={usage[key]}
                onChange={(event) => onChange({ [key]: event.target.value })}
              />
            )}
          </Field>
        ))}
      </div>
    </>
  );
}
