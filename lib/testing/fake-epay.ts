import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The order query of an epay gateway. `orders` holds its answers by trade number; `asked` the trade numbers asked about. */
export async function startFakeEpay(merchant: { id: string; key: string }) {
  const orders = new Map<string, Record<string, string | number>>();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://epay.example");
    const tradeNo = searchParams.get("out_trade_no") ?? "";
    const isKnown = searchParams.get("pid") === merchant.id && searchParams.get("key") === merchant.key;
    asked.push(tradeNo);
    response.writeHead(pathname === "/api.php" && searchParams.get("act") === "order" ? 200 : 404);
    const unknown = { code: -1, msg: isKnown ? "订单号不存在" : "商户密钥错误" };
    response.end(JSON.stringify((isKnown && orders.get(tradeNo)) || unknown));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    orders,
    asked,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
