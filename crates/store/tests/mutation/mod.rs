//! Deterministic mutations of single cells of a casebook's database.

use rusqlite::Connection;

/// A deterministic random number generator.
pub struct Rng(u64);

impl Rng {
    /// Creates the generator for a case.
    pub fn new(case: u64) -> Self {
        Self(case)
    }

    /// Returns a number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        // https://prng.di.unimi.it/splitmix64.c
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % end as u64).unwrap()
    }
}

/// Changes one cell of a database; returns a description of the change for failure messages.
pub fn mutate(connection: &Connection, rng: &mut Rng) -> String {
    const VALUES: &[&str] = &[
        "NULL",
        "-1",
        "0",
        "1",
        "2",
        "9223372036854775807",
        "-9223372036854775808",
        "9000000000000000000",
        "9007199254740992",
        "4102444800",
        "-377705023202",
        "253402300800",
        "''",
        "'{'",
        "'[1]'",
        "'[\"a\"]'",
        "'\"\\ud800\"'",
        "'note'",
        "'notes'",
        "'note#1'",
        "'acme/app0'",
        "'acme/app0#1'",
        "'other/app0#1'",
        "'../../x'",
        "'a' || char(10) || 'b'",
        "'x' || char(0) || 'y'",
        "CAST(x'ff' AS TEXT)",
        "CAST(x'c328' AS TEXT)",
        "'javascript:alert(1)'",
        "'http://[::1'",
        "9e999",
        "-9e999",
        "1e308",
        "0.0",
        "x''",
        "x'28b52ffd'",
        "zeroblob(1000)",
        "printf('%.*c', 100000, 'x')",
    ];
    let tables: Vec<String> = {
        let mut statement = connection
            .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
            .unwrap();
        let rows = statement.query_map([], |r| r.get(0)).unwrap();
        rows.collect::<rusqlite::Result<_>>().unwrap()
    };
    for _ in 0..1000 {
        let table = &tables[rng.below(tables.len())];
        let columns: Vec<String> = {
            let mut statement =
                connection.prepare("SELECT name FROM pragma_table_info(?1)").unwrap();
            let rows = statement.query_map([table], |r| r.get(0)).unwrap();
            rows.collect::<rusqlite::Result<_>>().unwrap()
        };
        let column = &columns[rng.below(columns.len())];
        let value = VALUES[rng.below(VALUES.len())];
        let rows: i64 = connection
            .query_row(&format!("SELECT count(*) FROM \"{table}\""), [], |r| r.get(0))
            .unwrap();
        if rows == 0 {
            continue;
        }
        let row = rng.below(usize::try_from(rows).unwrap());
        let key: Vec<String> = {
            let query = "SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk";
            let mut statement = connection.prepare(query).unwrap();
            let names = statement.query_map([table], |r| r.get::<_, String>(0)).unwrap();
            names.map(|n| format!("\"{}\"", n.unwrap())).collect()
        };
        let key = key.join(", ");
        let change = format!(
            "UPDATE \"{table}\" SET \"{column}\" = {value} WHERE ({key}) = (SELECT {key} FROM \"{table}\" ORDER BY {key} LIMIT 1 OFFSET {row})"
        );
        // A change that the schema rejects cannot occur in a file.
        if connection.execute(&change, []).is_ok_and(|n| n == 1) {
            return format!("{table}.{column} = {value}, row {row}");
        }
    }
    panic!("no cell could be changed");
}
