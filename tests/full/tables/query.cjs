// query.cjs SQL... - the rows of each query by DuckDB, with tabs between the values.
const { DuckDBInstance } = require("@duckdb/node-api");

async function main() {
    const database = await DuckDBInstance.create(":memory:");
    const connection = await database.connect();
    for (const query of process.argv.slice(2)) {
        const result = await connection.runAndReadAll(query);
        for (const row of result.getRows()) console.log(row.map(String).join("\t"));
    }
}

main().catch((error) => {
    console.error(String(error));
    process.exit(1);
});
