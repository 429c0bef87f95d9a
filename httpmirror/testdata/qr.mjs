// Draws a text as a QR code under each mask, for TestQRScript.
import { pathToFileURL } from "node:url";

const { qr } = await import(pathToFileURL(process.argv[2]));
const picture = (rows) => rows.map((row) => row.map((dark) => (dark ? "#" : ".")).join("")).join("\n");
process.stdout.write(JSON.stringify([...Array(8).keys()].map((mask) => picture(qr(process.argv[3], mask))).concat(picture(qr(process.argv[3])))));
