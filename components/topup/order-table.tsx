import { CircleCheck, CircleSlash, Hourglass, Undo2 } from "lucide-react";
import { getTranslations } from "next-intl/server";
import type { Column } from "@/components/data-table/column";
import { DataTable } from "@/components/data-table/data-table";
import { formatQuota, type QuotaDisplay } from "@/components/format/quota";
import { Time } from "@/components/format/time";
import { Badge } from "@/components/ui/badge";
import { Link } from "@/components/ui/link";
import type { TopUp } from "@/lib/topup/types";

type OrderTableProps = { rows: TopUp[]; display: QuotaDisplay; everybody: boolean };

/** Orders, paid or not; `everybody` adds the buyer column. */
export async function OrderTable({ rows, display, everybody }: OrderTableProps) {
  const t = await getTranslations("topup");
  const columns = await orderColumns(display, everybody);
  return (
    <DataTable
      caption={everybody ? t("tabAll") : t("tabOrders")}
      columns={columns}
      rows={rows}
      rowKey={(order) => order.id}
      isMuted={(order) => order.status === "expired"}
    />
  );
}

async function orderColumns(display: QuotaDisplay, everybody: boolean): Promise<Column<TopUp>[]> {
  const t = await getTranslations("topup");
  const methods: Record<string, string> = { zfb: t("alipay"), wx: t("wechat"), stripe: t("stripe") };
  const buyer: Column<TopUp> = {
    id: "buyer",
    header: t("buyer"),
    cell: ({ username, userId }) => (
      <Link href={`/user/${userId}`} className="rounded text-primary hover:underline">
        {`${username} (${userId})`}
      </Link>
    ),
  };
  return [
    {
      id: "order",
      header: t("order"),
      heading: true,
      cell: (order) => (
        <code dir="auto" className="select-all break-all font-mono text-xs">
          {order.tradeNo}
        </code>
      ),
    },
    ...(everybody ? [buyer] : []),
    { id: "state", header: t("state"), cell: (order) => <OrderState order={order} /> },
    {
      id: "quota",
      header: t("credited"),
      align: "right",
      cell: (order) => formatQuota(order.quota, display),
    },
    {
      id: "money",
      header: t("payableName"),
      align: "right",
      cell: (order) => `${order.money.toFixed(2)} ${order.currency.toUpperCase()}`,
    },
    {
      id: "method",
      header: t("method"),
      cell: (order) => methods[order.paymentMethod] ?? order.paymentMethod,
    },
    { id: "created", header: t("ordered"), cell: (order) => <Time seconds={order.createTime} /> },
    {
      id: "completed",
      header: t("completed"),
      cell: (order) => (order.completeTime > 0 ? <Time seconds={order.completeTime} /> : "—"),
    },
  ];
}

async function OrderState({ order }: { order: TopUp }) {
  const t = await getTranslations("topup");
  const { status, refunded, money, currency } = order;
  if (refunded > 0)
    return (
      <Badge hue="red">
        <Undo2 aria-hidden />
        {refunded >= money
          ? t("refunded")
          : t("refundedPart", { money: `${refunded.toFixed(2)} ${currency.toUpperCase()}` })}
      </Badge>
    );
  if (status === "success")
    return (
      <Badge hue="green">
        <CircleCheck aria-hidden />
        {t("stateSuccess")}
      </Badge>
    );
  if (status === "pending")
    return (
      <Badge hue="yellow">
        <Hourglass aria-hidden />
        {t("statePending")}
      </Badge>
    );
  return (
    <Badge>
      <CircleSlash aria-hidden />
      {status === "expired" ? t("stateExpired") : status}
    </Badge>
  );
}
