//! `precedent clusters`.

use precedent_core::{
    Result,
    model::{Cluster, ClusterMember, ClustersRequest, TriageRequest},
};

use crate::{
    Session,
    args::ClustersCommand,
    output::{BOLD, DIM, KEY, Output, labelled_day, plain, plural},
};

/// The number of reports listed per cluster.
const MAX_MEMBERS: usize = 8;

pub async fn run(session: &Session, command: ClustersCommand, output: &mut Output) -> Result<()> {
    if !command.no_check {
        let scan = TriageRequest {
            source: command.source.clone(),
            include_closed: command.include_closed,
            limit: 1,
            ..TriageRequest::default()
        };
        for notice in session.casebook.triage(scan, &session.task).await?.notices {
            session.say(&notice.text);
        }
    }
    let request = ClustersRequest {
        source: command.source,
        threshold: command.threshold,
        min_size: command.min_size,
        limit: command.limit,
    };
    let response = session.casebook.clusters(request).await?;
    if let Some(fields) = &command.json.json {
        return output.json(&response, fields, Some("clusters"));
    }
    let unscanned_note = match response.unscanned {
        0 => String::new(),
        n => format!(" {DIM}{} not checked yet{DIM:#}", plural(n, "open report")),
    };
    output.line(format_args!(
        "{} with {}{unscanned_note}",
        plural(response.total as u64, "cluster"),
        plural(response.open as u64, "open report")
    ));
    for cluster in &response.clusters {
        print(cluster, output);
    }
    let remaining_count = response.total - response.clusters.len();
    if remaining_count > 0 {
        output.line("");
        output.line(format_args!("{DIM}{remaining_count} more; use --limit to show them.{DIM:#}"));
    }
    Ok(())
}

fn print(cluster: &Cluster, output: &mut Output) {
    output.line("");
    output.line(format_args!(
        "{BOLD}{}{BOLD:#}  {DIM}{}, {} open; {} in the last 30 days, {} in the 30 before{DIM:#}",
        match &cluster.words[..] {
            [] => plain(&cluster.head.title),
            words => plain(&words.join(" · ")),
        },
        plural(cluster.size as u64, "report"),
        cluster.open,
        cluster.recent,
        cluster.before
    ));
    member(&cluster.head, "", output);
    for other in cluster.members.iter().take(MAX_MEMBERS) {
        let sure = match other.known {
            true => "known".to_owned(),
            false => format!("{:.0} %", other.confidence * 100.0),
        };
        member(other, &sure, output);
    }
    if cluster.members.len() > MAX_MEMBERS {
        output.line(format_args!("  {DIM}and {} more{DIM:#}", cluster.members.len() - MAX_MEMBERS));
    }
}

fn member(member: &ClusterMember, sure: &str, output: &mut Output) {
    output.line(format_args!(
        "  {sure:>5}  {KEY}{}{KEY:#}  {}  {DIM}{}{}{DIM:#}",
        plain(&member.key),
        plain(&member.title),
        if member.open { "" } else { "closed, " },
        labelled_day("opened", member.created_at)
    ));
}
